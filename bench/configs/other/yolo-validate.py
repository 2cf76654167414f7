from ultralytics import YOLO

model = YOLO("yolo11n.pt")
model.val(data="coco.yaml", batch=16, imgsz=640)
model.export(format="onnx", batch=1)
