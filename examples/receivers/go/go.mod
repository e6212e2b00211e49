module va-wave.example/receiver

go 1.24
