# Makes the files of this folder again, with Python and PyTorch (1.13 made those that are here).
import torch, os, collections
d=os.path.dirname(os.path.abspath(__file__))+'/'
torch.manual_seed(0)
base=torch.arange(24,dtype=torch.float32).reshape(4,6)/8
sd=collections.OrderedDict()
sd['whole']=base
sd['turned']=base.t()           # strided, of the same storage
sd['part']=base[1:3,2:5]
sd['last']=base[3]
sd['half']=torch.tensor([1.5,-2.0,0.25],dtype=torch.float16)
sd['bfloat']=torch.tensor([[1.5,-2.0]],dtype=torch.bfloat16)
sd['double']=torch.tensor([0.1,1e300,-3.0],dtype=torch.float64)[[0,2]]
sd['position_ids']=torch.arange(4)
sd['scalar']=torch.tensor(2.5)
sd['repeated']=torch.tensor([7.0]).expand(3,1)
sd._metadata={'': {'version':1}}
torch.save(sd,d+'state_dict.bin')
torch.save({'epoch':3,'loss':0.5,'names':['a','b'],'state_dict':{'weight':torch.nn.Parameter(torch.tensor([[1.,2.],[3.,4.]]))}},d+'checkpoint.pth')
class Evil:
    def __reduce__(self): return (os.system,('touch /tmp/headscope-was-here',))
torch.save({'weight':torch.zeros(2),'bad':Evil()},d+'class.bin')
torch.save({'weight':torch.zeros(2)},d+'before_1_6.bin',_use_new_zipfile_serialization=False)

import json, struct
raw = open(os.path.join(d, '..', 'tiny-gpt2', 'model.safetensors'), 'rb').read()
length = struct.unpack('<Q', raw[:8])[0]
header = json.loads(raw[8:8 + length])
model = {}
for name, entry in header.items():
    if name == '__metadata__': continue
    begin, end = entry['data_offsets']
    values = torch.frombuffer(bytearray(raw[8 + length + begin:8 + length + end]), dtype=torch.float32)
    model[name] = values.reshape(entry['shape'])
torch.save(model, d + 'tiny_gpt2.bin')
