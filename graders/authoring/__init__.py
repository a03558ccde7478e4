"""For those who write problem sets: prove one, add a question, make the students' bundle, the schema for editors."""
