"""One training, put together from configs/."""
import hydra
import lightning as L
from lightning import LightningDataModule, LightningModule, Trainer
from omegaconf import DictConfig


def train(cfg: DictConfig) -> None:
    if cfg.get("seed"):
        L.seed_everything(cfg.seed, workers=True)
    datamodule: LightningDataModule = hydra.utils.instantiate(cfg.data)
    model: LightningModule = hydra.utils.instantiate(cfg.model)
    callbacks = [hydra.utils.instantiate(each) for each in cfg.callbacks.values()]
    trainer: Trainer = hydra.utils.instantiate(cfg.trainer, callbacks=callbacks)
    if cfg.get("train"):
        trainer.fit(model=model, datamodule=datamodule, ckpt_path=cfg.get("ckpt_path"))
    if cfg.get("test"):
        trainer.test(model=model, datamodule=datamodule)


@hydra.main(version_base="1.3", config_path="configs", config_name="train.yaml")
def main(cfg: DictConfig) -> None:
    train(cfg)


if __name__ == "__main__":
    main()
