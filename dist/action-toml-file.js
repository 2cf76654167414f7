import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{a,b,c}from"./action-chunk-25.js";import"./action-chunk-24.js";import"./action-chunk-35.js";import"./action-chunk-58.js";import"./action-chunk-1.js";export{b as parsedToml,c as tableOf,a as tomlRequirements};
