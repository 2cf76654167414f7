import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from reviews import Reviews

tokenizer = AutoTokenizer.from_pretrained("FacebookAI/roberta-base")
model = AutoModelForSequenceClassification.from_pretrained("FacebookAI/roberta-base", num_labels=4).cuda()
loader = DataLoader(Reviews(tokenizer), batch_size=36, shuffle=True)
trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
optimizer = torch.optim.AdamW(trained, lr=2e-5)

for batch in loader:
    optimizer.zero_grad()
    model(**batch).loss.backward()
    optimizer.step()
