// Prints what llama.cpp computes for token ids, with the npm package node-llama-cpp:
//   node logits.mjs $PWD/tiny_f32.gguf "[1,5,261,270,263,287]"
import {getLlama,LlamaLogLevel} from 'node-llama-cpp';
import fs from 'fs';
const llama=await getLlama({gpu:false,build:'never',logLevel:LlamaLogLevel.error});
const model=await llama.loadModel({modelPath:process.argv[2],useMmap:true});
const ctx=await model.createContext({contextSize:64,threads:2});
const seq=ctx.getSequence();
const ids=JSON.parse(process.argv[3]);
const out=await seq.controlledEvaluate(ids.map(i=>[i,{generateNext:{probabilities:true,options:{temperature:1,topK:0,topP:1,minP:0}}}]));
const rows=out.map(o=>{const m=o.next.probabilities;const r=new Array(model.fileInfo.metadata.tokenizer.ggml.tokens.length).fill(null);for(const[t,p]of m)r[t]=p;return r;});
const text='the cat sat on the mat.';
console.log(JSON.stringify({ids,probabilities:rows,tokens:model.tokenize(text,false)}));
process.exit(0);
