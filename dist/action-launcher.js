import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{h as a,i as b,j as c}from"./action-chunk-8.js";import"./action-chunk-7.js";import"./action-chunk-6.js";import"./action-chunk-10.js";import"./action-chunk-1.js";export{c as configNamed,a as launchesIn,b as openLauncher};
