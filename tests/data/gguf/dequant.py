# The values of a block of each type, after ggml-quants.c of llama.cpp.
import struct
def f16(b,o=0): return struct.unpack_from('<e',b,o)[0]
def i8(x): return x-256 if x>127 else x
def deq(kind,b):
    if kind=='F32': return [struct.unpack('<f',b)[0]]
    out=[]
    if kind=='Q8_0': return [f16(b)*i8(x) for x in b[2:34]]
    if kind in('Q4_0','Q4_1'):
        d=f16(b); m=f16(b,2) if kind=='Q4_1' else -8*d; q=b[4:] if kind=='Q4_1' else b[2:]
        return [d*(x&15)+m for x in q]+[d*(x>>4)+m for x in q]
    if kind in('Q5_0','Q5_1'):
        d=f16(b); o=2; m=-16*d
        if kind=='Q5_1': m=f16(b,2); o=4
        h=struct.unpack_from('<I',b,o)[0]; q=b[o+4:]
        return [d*((x&15)+16*(h>>i&1))+m for i,x in enumerate(q)]+[d*((x>>4)+16*(h>>(i+16)&1))+m for i,x in enumerate(q)]
    if kind in('Q4_K','Q5_K'):
        d,dm=f16(b),f16(b,2); s=b[4:16]
        sc=[];mn=[]
        for j in range(8):
            if j<4: sc.append(s[j]&63); mn.append(s[j+4]&63)
            else: sc.append((s[j+4]&15)|((s[j-4]>>6)<<4)); mn.append((s[j+4]>>4)|((s[j]>>6)<<4))
        if kind=='Q4_K': q=b[16:]; h=None
        else: h=b[16:48]; q=b[48:]
        for j in range(8):
            part=q[(j//2)*32:(j//2)*32+32]
            for l,x in enumerate(part):
                v=(x&15) if j%2==0 else (x>>4)
                if h is not None: v+=16*(h[l]>>j&1)
                out.append(d*sc[j]*v-dm*mn[j])
        return out
    if kind=='Q6_K':
        ql,qh,s,d=b[:128],b[128:192],b[192:208],f16(b,208)
        for i in range(256):
            half,r=divmod(i,128); quarter,l=divmod(r,32)
            byte=ql[half*64+l+(32 if quarter%2 else 0)]
            lowbits=(byte&15) if quarter<2 else (byte>>4)
            hi=qh[half*32+l]>>(2*quarter)&3
            out.append(d*i8(s[i//16])*((lowbits|hi<<4)-32))
        return out
