import torch
from torch.utils.data import DataLoader
from torchvision import models, transforms
from networks import Discriminator, Generator

perceptual = models.vgg16(pretrained=True).features.eval()
generator, discriminator = Generator(), Discriminator()
train_loader = DataLoader(faces, batch_size=16, shuffle=True)
for_generator = torch.optim.Adam(generator.parameters(), 2e-4)
for_discriminator = torch.optim.Adam(discriminator.parameters(), 2e-4)
for real in train_loader:
    loss(discriminator(generator(noise)), perceptual(real)).backward()
    for_generator.step()
    for_discriminator.step()
