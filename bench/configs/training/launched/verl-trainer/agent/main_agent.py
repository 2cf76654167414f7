import hydra

from verl.trainer.ppo.ray_trainer import RayPPOTrainer


@hydra.main(config_path="config", config_name="agent_trainer", version_base=None)
def main(config):
    trainer = RayPPOTrainer(config=config)
    trainer.init_workers()
    trainer.fit()


if __name__ == "__main__":
    main()
