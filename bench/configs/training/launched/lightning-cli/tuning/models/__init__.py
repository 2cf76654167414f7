from .text import Classifier, Tagger
from .images import PretrainedImages
