import torch
from ultralytics import YOLO

SETTINGS = dict(data="coco.yaml", epochs=10, imgsz=320)


def train(weights="yolo11m.pt", batch=40):
    detector = YOLO(weights)
    return detector.train(batch=batch, amp=False, **SETTINGS)


if __name__ == "__main__":
    train()
