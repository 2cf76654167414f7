import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
function i({peaks:n=[]},a){return n.find(e=>e.phase===a&&e.state==="does-not-fit")}export{i as a};
