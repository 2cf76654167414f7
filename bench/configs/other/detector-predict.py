import torch
import torchvision

model = torchvision.models.detection.fasterrcnn_resnet50_fpn(weights="DEFAULT").eval().cuda()
loader = torch.utils.data.DataLoader(torchvision.datasets.FakeData(transform=torchvision.transforms.ToTensor()), batch_size=8)
with torch.no_grad():
    for images, _ in loader:
        print(model([image.cuda() for image in images])[0]["boxes"].shape)
