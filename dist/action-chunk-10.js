import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
function r(n){try{return JSON.parse(n)}catch{return}}export{r as a};
