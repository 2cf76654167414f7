import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{a,b}from"./action-chunk-35.js";import"./action-chunk-30.js";import"./action-chunk-39.js";import"./action-chunk-44.js";import"./action-chunk-16.js";import"./action-chunk-46.js";import"./action-chunk-1.js";export{a as findLoadingScript,b as scriptsNear};
