# Makes tiny.gguf, a random Llama whose tensors have the types that are read, and with a second name the same
# values as F32:  make.py tiny.gguf tiny_f32.gguf
import struct, sys, os, random
rng=random.Random(5)
TYPES={'F32':(0,1,4),'F16':(1,1,2),'Q4_0':(2,32,18),'Q4_1':(3,32,20),'Q5_0':(6,32,22),'Q5_1':(7,32,24),'Q8_0':(8,32,34),'Q4_K':(12,256,144),'Q5_K':(13,256,176),'Q6_K':(14,256,210),'BF16':(30,1,2)}
def half(x): return struct.pack('<e',x)
def u8(n): return bytes(rng.getrandbits(8) for _ in range(n))
def block(kind,s):
    r=lambda: s*(0.5+rng.random())
    if kind=='F32': return struct.pack('<f',rng.gauss(0,8*s))
    if kind=='F16': return half(rng.gauss(0,8*s))
    if kind=='BF16': return struct.pack('<f',rng.gauss(0,8*s))[2:]
    if kind=='Q4_0': return half(r())+u8(16)
    if kind=='Q4_1': return half(r())+half(-8*r())+u8(16)
    if kind=='Q5_0': return half(r()/2)+u8(4)+u8(16)
    if kind=='Q5_1': return half(r()/2)+half(-8*r())+u8(4)+u8(16)
    if kind=='Q8_0': return half(r()/16)+u8(32)
    if kind=='Q4_K': return half(r()/32)+half(r()/4)+u8(12)+u8(128)
    if kind=='Q5_K': return half(r()/64)+half(r()/4)+u8(12)+u8(32)+u8(128)
    if kind=='Q6_K': return u8(128)+u8(64)+bytes((rng.getrandbits(7)-64)&255 for _ in range(16))+half(r()/256)
def tensor(kind,shape,s=0.02):
    n=1
    for x in shape: n*=x
    _,per,size=TYPES[kind]
    return b''.join(block(kind,s) for _ in range(n//per))
def ones(shape): return b''.join(struct.pack('<f',1+rng.gauss(0,.2)) for _ in range(shape[0]))
def text(t): b=t.encode(); return struct.pack('<Q',len(b))+b
def kv(k,v):
    out=text(k)
    if isinstance(v,bool): return out+struct.pack('<IB',7,v)
    if isinstance(v,int): return out+struct.pack('<II',4,v)
    if isinstance(v,float): return out+struct.pack('<If',6,v)
    if isinstance(v,str): return out+struct.pack('<I',8)+text(v)
    e=v[0]; body=struct.pack('<I',9)
    if isinstance(e,str): return out+body+struct.pack('<IQ',8,len(v))+b''.join(map(text,v))
    if isinstance(e,float): return out+body+struct.pack('<IQ',6,len(v))+struct.pack('<%df'%len(v),*v)
    return out+body+struct.pack('<IQ',5,len(v))+struct.pack('<%di'%len(v),*v)
def write(path,meta,tensors):
    head=struct.pack('<IIQQ',0x46554747,3,len(tensors),len(meta))+b''.join(kv(k,v) for k,v in meta)
    offset=0; infos=b''; data=b''
    for name,kind,shape,raw in tensors:
        infos+=text(name)+struct.pack('<I',len(shape))+b''.join(struct.pack('<Q',d) for d in reversed(shape))+struct.pack('<IQ',TYPES[kind][0],len(data))
        data+=raw; data+=b'\0'*(-len(data)%32)
    head+=infos; head+=b'\0'*(-len(head)%32)
    open(path,'wb').write(head+data)
pieces=["▁","e","t","a","o","n","h","s","▁t","he","▁the","▁a","▁c","at","▁cat","on","▁on","▁s","▁sat","▁m","▁mat",".","c","m"]
tokens=['<unk>','<s>','</s>']+['<0x%02X>'%i for i in range(256)]+pieces
tokens+=['x%d'%i for i in range(288-len(tokens))]
types=[2,3,3]+[6]*256+[1]*(len(tokens)-259)
scores=[0.0]*259+[-float(i+1) for i in range(len(tokens)-259)]
# longer pieces more probable than their parts
order={p:-1.0-i*0.5 for i,p in enumerate(sorted(pieces,key=lambda p:(-len(p),p)))}
for i,t in enumerate(tokens):
    if t in order: scores[i]=order[t]
D,F,H,K,V=256,256,8,4,len(tokens)
meta=[('general.architecture','llama'),('general.name','tiny'),('llama.block_count',1),('llama.context_length',64),('llama.embedding_length',D),('llama.feed_forward_length',F),('llama.attention.head_count',H),('llama.attention.head_count_kv',K),('llama.attention.layer_norm_rms_epsilon',1e-5),('llama.rope.freq_base',10000.0),('llama.rope.dimension_count',D//H),('llama.vocab_size',V),
('tokenizer.ggml.model','llama'),('tokenizer.ggml.tokens',tokens),('tokenizer.ggml.scores',scores),('tokenizer.ggml.token_type',types),('tokenizer.ggml.bos_token_id',1),('tokenizer.ggml.eos_token_id',2),('tokenizer.ggml.unknown_token_id',0),('tokenizer.ggml.add_bos_token',True),('tokenizer.ggml.add_eos_token',False)]
T=[]
def add(n,kind,shape,raw=None,s=0.02): T.append((n,kind,shape,raw if raw is not None else tensor(kind,shape,s)))
add('token_embd.weight','Q8_0',(V,D),s=0.3)
kinds=[dict(q='Q4_K',k='Q5_K',v='Q6_K',o='Q8_0',gate='Q4_0',up='Q4_1',down='Q5_0')]
for L,k in enumerate(kinds):
    b=f'blk.{L}.'
    add(b+'attn_norm.weight','F32',(D,),ones((D,)))
    add(b+'ffn_norm.weight','F32',(D,),ones((D,)))
    add(b+'attn_q.weight',k['q'],(D,D)); add(b+'attn_k.weight',k['k'],(D*K//H,D)); add(b+'attn_v.weight',k['v'],(D*K//H,D)); add(b+'attn_output.weight',k['o'],(D,D))
    add(b+'ffn_gate.weight',k['gate'],(F,D)); add(b+'ffn_up.weight',k['up'],(F,D)); add(b+'ffn_down.weight',k['down'],(D,F))
add('output_norm.weight','F32',(D,),ones((D,)))
add('output.weight','Q5_1',(V,D))
write(sys.argv[1],meta,T)
if len(sys.argv)>2:
    sys.path.insert(0,os.path.dirname(os.path.abspath(__file__)))
    from dequant import deq
    W=[]
    for n,k,shape,raw in T:
        size=TYPES[k][2]
        vals=[v for i in range(0,len(raw),size) for v in deq(k,raw[i:i+size])]
        W.append((n,'F32',shape,struct.pack('<%df'%len(vals),*vals)))
    write(sys.argv[2],meta,W)
