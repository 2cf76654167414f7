import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import BertModel
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel.from_pretrained("bert-base-uncased")
        self.fc = nn.Linear(768, 2)
model = Net().cuda()
loader = DataLoader(train, batch_size=8, shuffle=True)
opt = torch.optim.Adam(model.parameters())
for x in loader:
    model(x).backward()
    opt.step()
