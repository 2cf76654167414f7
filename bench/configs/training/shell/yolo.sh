yolo detect train data=coco.yaml model=yolov8n.pt batch=32 imgsz=640 epochs=100 device=0
