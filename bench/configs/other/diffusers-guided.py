import torch
from diffusers import DDIMScheduler, UNet2DModel

model = UNet2DModel.from_pretrained("google/ddpm-celebahq-256").cuda()
scheduler = DDIMScheduler.from_pretrained("google/ddpm-celebahq-256")
scheduler.set_timesteps(50)
target = torch.tensor([0.1, 0.6, -0.2], device="cuda").view(1, 3, 1, 1)
x = torch.randn(4, 3, 256, 256, device="cuda")
for t in scheduler.timesteps:
    x = x.detach().requires_grad_()
    noise = model(x, t).sample
    clean = scheduler.step(noise, t, x).pred_original_sample
    (clean - target).abs().mean().backward()
    x = scheduler.step(noise, t, x.detach() - 40 * x.grad).prev_sample
