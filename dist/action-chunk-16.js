import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
function r(t){return t.trim().split(/\s+/)}function n(t){return new Set(r(t))}export{r as a,n as b};
