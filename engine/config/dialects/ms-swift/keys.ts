/** How training is tuned, by the names of versions 4 and 3: what a config is told by. */
export const tunerKeys = ['tuner_type', 'train_type']
