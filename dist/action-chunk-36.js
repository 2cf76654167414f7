import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
function o(e,r,t){let n=e.wholeNumber(r,{max:1e3})??1;if(!(r===void 0||n===1))return e.assume(`Each of ${n} GPUs holds its part of every layer's matrices; their communication buffers are not counted.`),e.note("tensorParallel",{gpus:n,dividesTokens:t},r)}export{o as a};
