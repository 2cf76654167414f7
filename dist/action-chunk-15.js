import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
var o={version:"0.1.0"};var t=o.version;export{t as a};
