import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
import{M as o,Q as e,W as n,X as i,Y as r}from"./action-chunk-2.js";import"./action-chunk-3.js";import"./action-chunk-1.js";async function l(m,a){let t=await n(m,a);if(t===void 0)return r();let{files:p,options:s,remarks:f}=await e(t);await i(t,await o(p,s),{remarks:f})}export{l as check};
