import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{a,b,c}from"./action-chunk-24.js";import"./action-chunk-23.js";import"./action-chunk-34.js";import"./action-chunk-57.js";import"./action-chunk-1.js";export{b as parsedToml,c as tableOf,a as tomlRequirements};
