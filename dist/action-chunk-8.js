import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
function n(t){return/\.(?:py|ipynb)$/i.test(t)}function r(t){return/\.ipynb$/i.test(t)}function o(t){return/\b(?:transformers|trl|unsloth|ultralytics)\b/.test(t)&&/Trainer\b|\.train\s*\(/.test(t)}export{n as a,r as b,o as c};
