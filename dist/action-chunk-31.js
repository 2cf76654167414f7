import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
function r(t){return/\.(?:ya?ml|json)$/i.test(t)&&/sft|pretrain|cpt|stage|train|warm|lora/i.test(t)}export{r as a};
