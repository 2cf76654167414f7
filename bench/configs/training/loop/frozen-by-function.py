import torch
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms


def set_trainable(network, trains, prefixes=("conv1", "bn1", "layer1", "layer2")):
    for name, weight in network.named_parameters():
        if name.startswith(prefixes):
            weight.requires_grad = trains


def build(classes):
    network = models.resnet50(weights="IMAGENET1K_V2")
    network.fc = torch.nn.Linear(network.fc.in_features, classes)
    return network


def main():
    scale = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    batches = DataLoader(datasets.ImageFolder("leaves", scale), batch_size=72, shuffle=True)
    network = build(38).cuda()
    set_trainable(network, False)
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-4)
    for images, labels in batches:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(network(images.cuda()), labels.cuda()).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
