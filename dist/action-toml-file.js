import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{a,b,c,d}from"./action-chunk-25.js";import"./action-chunk-24.js";import"./action-chunk-35.js";import"./action-chunk-58.js";import"./action-chunk-1.js";export{b as parsedToml,d as tableOf,c as tomlFault,a as tomlRequirements};
