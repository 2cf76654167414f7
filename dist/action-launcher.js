import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{e as a,f as b,g as c}from"./action-chunk-8.js";import"./action-chunk-7.js";import"./action-chunk-9.js";import"./action-chunk-6.js";import"./action-chunk-13.js";import"./action-chunk-1.js";export{c as configNamed,a as launchesIn,b as openLauncher};
