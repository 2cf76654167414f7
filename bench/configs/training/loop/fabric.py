import torch
import torch.nn.functional as F
from lightning import Fabric
from torch.utils.data import DataLoader
from torchvision import datasets, transforms
from torchvision.models import ViT_B_16_Weights, vit_b_16


def train(fabric, model, optimizer, batches):
    model.train()
    for images, labels in batches:
        loss = F.cross_entropy(model(images), labels)
        fabric.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    scaled = transforms.Compose([transforms.Resize((224, 224)), transforms.ToTensor()])
    flowers = datasets.Flowers102("data", transform=scaled)
    batches = DataLoader(flowers, batch_size=48, shuffle=True)
    model = vit_b_16(weights=ViT_B_16_Weights.IMAGENET1K_V1)
    model.heads.head = torch.nn.Linear(768, 102)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-5)
    fabric = Fabric(accelerator="cuda", devices=1, precision="bf16-mixed")
    fabric.launch()
    batches = fabric.setup_dataloaders(batches)
    model, optimizer = fabric.setup(model, optimizer)
    train(fabric, model, optimizer, batches)
