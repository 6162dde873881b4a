"""What a sweep found: the best variant and how sure that is, what each axis does, knees, and what quality costs."""
