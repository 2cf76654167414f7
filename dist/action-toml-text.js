import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{a,b,c}from"./action-chunk-49.js";import"./action-chunk-1.js";export{a as parsedToml,c as tableOf,b as tomlFault};
