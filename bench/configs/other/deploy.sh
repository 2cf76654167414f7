#!/bin/bash
set -e
python manage.py migrate --batch-size 500
docker build -t app .
