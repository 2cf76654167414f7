import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{a,b}from"./action-chunk-12.js";import"./action-chunk-6.js";import"./action-chunk-14.js";import"./action-chunk-13.js";import"./action-chunk-15.js";import"./action-chunk-1.js";export{a as openScript,b as startsNone};
