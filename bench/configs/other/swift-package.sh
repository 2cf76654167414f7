swift build -c release --product trainer
swift test --parallel
swift run trainer --batch-size 8 --model small
