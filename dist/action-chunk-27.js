import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
var t="CUDA_VISIBLE_DEVICES";function r(e){let n=e.trim();return n===""||n==="-1"?0:/^\d+(?:, ?\d+)*$/.test(n)?n.split(",").length:void 0}export{t as a,r as b};
