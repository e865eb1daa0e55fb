"""Labelled pictures in the forms of other programs: YOLO-OBB, COCO, CVAT for images and for video."""
