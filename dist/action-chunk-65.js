import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
var r={reduceBucket:5e8,prefetchBucket:5e7,persistenceThreshold:1e5,maxLiveParameters:1e9,maxReuseDistance:1e9,subGroup:1e9};function t(e){return e==="zero3"}var o={...r,reduceBucket:2e8,subGroup:1e12,overlapsCommunication:!0};export{r as a,t as b,o as c};
