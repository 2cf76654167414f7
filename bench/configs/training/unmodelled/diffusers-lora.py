import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel
from peft import LoraConfig
from torch.utils.data import DataLoader
from transformers import CLIPTextModel, CLIPTokenizer

from photos import PhotoDataset

BASE = "stable-diffusion-v1-5/stable-diffusion-v1-5"

tokenizer = CLIPTokenizer.from_pretrained(BASE, subfolder="tokenizer")
text_encoder = CLIPTextModel.from_pretrained(BASE, subfolder="text_encoder").cuda()
vae = AutoencoderKL.from_pretrained(BASE, subfolder="vae").cuda()
unet = UNet2DConditionModel.from_pretrained(BASE, subfolder="unet").cuda()
noising = DDPMScheduler.from_pretrained(BASE, subfolder="scheduler")

for frozen in (text_encoder, vae, unet):
    frozen.requires_grad_(False)
unet.add_adapter(LoraConfig(r=8, target_modules=["to_q", "to_k", "to_v", "to_out.0"]))

loader = DataLoader(PhotoDataset("photos", tokenizer), batch_size=2, shuffle=True)
optimizer = torch.optim.AdamW([p for p in unet.parameters() if p.requires_grad], lr=1e-4)

for pixels, words in loader:
    with torch.no_grad():
        latents = vae.encode(pixels.cuda()).latent_dist.sample() * vae.config.scaling_factor
        context = text_encoder(words.cuda())[0]
    noise = torch.randn_like(latents)
    steps = torch.randint(0, 1000, (latents.shape[0],), device="cuda")
    predicted = unet(noising.add_noise(latents, noise, steps), steps, context).sample
    F.mse_loss(predicted, noise).backward()
    optimizer.step()
    optimizer.zero_grad()
