set -e

python train.py --config-name=whole +experiment=long accumulate=8
