import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
function i(e,t,r){let n=e.wholeNumber(t,{max:1e3})??1;if(!(t===void 0||n===1))return e.assume(`Each of ${n} GPUs holds its part of every layer's matrices; their communication buffers are not counted.`),e.note("tensorParallel",{gpus:n,dividesTokens:r},t)}export{i as a};
