import torch
from diffusers import StableDiffusionPipeline

pipe = StableDiffusionPipeline.from_pretrained("stable-diffusion-v1-5/stable-diffusion-v1-5", torch_dtype=torch.float16)
pipe.load_lora_weights("runs/corgi")
batch_size = 4
images = pipe(["a photo of sks corgi on the beach"] * batch_size, num_inference_steps=30).images
for number, image in enumerate(images):
    image.save(f"corgi-{number}.png")
