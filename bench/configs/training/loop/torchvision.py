import argparse
import torch
import torchvision
from torchvision import transforms
from torch.utils.data import DataLoader

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--amp", action="store_true")
    args = parser.parse_args()
    transform = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    train_set = torchvision.datasets.ImageFolder("train", transform)
    loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    model = torchvision.models.resnet50(weights="DEFAULT")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for x, y in loader:
        with torch.cuda.amp.autocast(enabled=args.amp):
            loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
main()
