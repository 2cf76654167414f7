import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);
var n=["older-than-a-year","undated","of-another-card","not-given"],o=1e9,t=1e12;function a(e){return Math.round(e*1073741824)}var d={pricePerHourUsd:0,priceSource:"No list with a date has it",priceDate:"",priceCaveat:"not-given"};export{n as a,o as b,t as c,a as d,d as e};
