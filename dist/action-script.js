import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{a,b}from"./action-chunk-15.js";import"./action-chunk-14.js";import"./action-chunk-8.js";import"./action-chunk-6.js";import"./action-chunk-17.js";import"./action-chunk-16.js";import"./action-chunk-18.js";import"./action-chunk-1.js";export{a as openScript,b as startsNone};
