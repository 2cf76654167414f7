import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
function o(e,t,n){let r=e.wholeNumber(t,{max:1e3})??1;if(!(t===void 0||r===1))return e.assume(`Each of ${r} GPUs holds its part of every layer's matrices; their communication buffers are not counted.`),e.note("tensorParallel",{gpus:r,dividesTokens:n},t)}export{o as a};
