import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{ba as n}from"./action-chunk-6.js";function p(t,o,s){let e=n(t,o);return s===void 0||!e.assumed?.includes("gpu")?{options:e}:s.kind==="unclear"?{options:e,asked:s}:{options:n(t,{...o,gpu:s.gpu}),asked:s}}export{p as a};
