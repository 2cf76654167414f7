from ultralytics import YOLO

model = YOLO("yolov8s.pt")
results = model.train(data="coco128.yaml", epochs=50, imgsz=512, batch=24, optimizer="SGD")
