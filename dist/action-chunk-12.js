import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
function u(n,e){if(Object.is(n,e))return!0;if(!o(n)||!o(e)||Array.isArray(n)!==Array.isArray(e))return!1;let[t,s]=[Object.keys(n),Object.keys(e)];return t.length===s.length&&t.every(r=>Object.hasOwn(e,r)&&u(n[r],e[r]))}function o(n){return typeof n=="object"&&n!==null}export{u as a};
