import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{a,b,c,d}from"./action-chunk-26.js";import"./action-chunk-25.js";import"./action-chunk-37.js";import"./action-chunk-60.js";import"./action-chunk-1.js";export{b as parsedToml,d as tableOf,c as tomlFault,a as tomlRequirements};
